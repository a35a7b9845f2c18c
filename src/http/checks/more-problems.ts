/**
 * Key in the schema of a body, of a function that finds problems which the schema does not show, in any object. They are answered beside
 * those of the schema; in a body that the schema accepts the route finds them itself.
 */
export const moreProblems = Symbol('more problems')
