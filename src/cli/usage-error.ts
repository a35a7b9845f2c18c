/** The command line says what there is not; the message says what. */
export class UsageError extends Error {}
