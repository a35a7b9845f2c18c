/** Explanation of the policy of a team, above its lines. */
export const policyHint =
  'What holds while at most so much of the budget of an SLO is left. For the SLOs of the team that have no policy of their own.'

const fieldNames: Record<string, string> = { percent_left: '% left', text: 'What then holds', url: 'Link' }

/** Problem of a line of a policy, with the name that its field has in the form. */
export function inFieldNames(problem: string): string {
  return problem.replaceAll(/\b\d+\.(percent_left|text|url)\b/g, (_, name: string) => fieldNames[name] ?? name)
}
