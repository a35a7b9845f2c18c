/** The command line is wrong; the message names the problem. */
export class UsageError extends Error {}
