/** Runs what it is given, now or later. `syncs`: what is written is to be on the disk before that. */
export type Later = (run: () => void, syncs?: boolean) => void;
