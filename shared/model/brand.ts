/** A nominal type over a primitive: `Brand<string, 'Fid'>` accepts no plain string. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };
