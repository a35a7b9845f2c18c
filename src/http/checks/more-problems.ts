/**
 * Key, in the options of a body's schema, of a function that finds further problems in any object. They are added to the problems
 * that the schema finds; a body that the schema accepts is checked by its route.
 */
export const moreProblems = Symbol('more problems')
