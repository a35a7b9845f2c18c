/**
 * Key in the options of a body's schema. Its value, `(body: object) => Problem[]`, finds further problems in an object of any shape.
 * They are added to the problems that the schema finds; a body that the schema accepts is checked by its route.
 */
export const moreProblems = Symbol('more problems')
