/** Explanation of the policy of a team, above its lines. */
export const policyHint =
  'What applies while at most this share of the budget of an SLO remains. For SLOs of the team without a policy of their own.'

const fieldNames: Record<string, string> = { percent_left: '% left', text: 'What then applies', url: 'Link' }

/** Problem of a line of a policy as the API reports it, with the label of the form: `0.percent_left must …` as `% left must …`. */
export function inFieldNames(problem: string): string {
  return problem.replaceAll(/\b\d+\.(percent_left|text|url)\b/g, (_, name: string) => fieldNames[name] ?? name)
}
