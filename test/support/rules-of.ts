type Body = {
  details?: string
  problems?: readonly { field: string; message: string; got?: string }[]
}

/** Rules that name what came themselves. */
const namesValue = /\bgot\b|\bfound ["“]|[,;] not ["“\d]/

/**
 * `details` of an error without what was sent (`, got …`), which is in `problems` too. As they are if they say anything else than
 * the problems do.
 */
export function rulesOf({ details, problems = [] }: Body): string | undefined {
  const rules = problems.map(({ field, message }) => `${field}: ${message}`)
  const whole = problems.map(({ message, got }, at) =>
    got === undefined || namesValue.test(message) ? rules[at] : `${rules[at]}, got ${got}`,
  )
  return details === whole.join('; ') ? rules.join('; ') : details
}
