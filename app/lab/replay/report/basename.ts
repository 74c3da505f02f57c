/** The last name of a path; a workload's name is its own. */
export const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
