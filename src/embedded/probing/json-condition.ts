/**
 * Condition on a JSON body, such as `$.status == "UP"`: a path, an operator (`==`, `!=`, `<`, `<=`, `>`, `>=`, `contains`) and a JSON
 * value other than a list or an object. Returns the reason why a body does not meet it, null if it does. A body without a value at
 * the path never meets it.
 */
type JsonCondition = (body: unknown) => string | null

type Scalar = string | number | boolean | null
/** `says`: end of the sentence about a value that does not meet the condition. */
type Operator = { meets(value: unknown, operand: Scalar): boolean; says: (operand: string) => string }

const comparison = (meets: (value: number, operand: number) => boolean, words: string): Operator => ({
  meets: (value, operand) => typeof value === 'number' && typeof operand === 'number' && meets(value, operand),
  says: (operand) => `, not ${words} ${operand}`,
})

const operators: Record<string, Operator> = {
  '==': { meets: (value, operand) => value === operand, says: (operand) => `, not ${operand}` },
  '!=': { meets: (value, operand) => value !== operand, says: () => '' },
  '<': comparison((value, operand) => value < operand, 'below'),
  '<=': comparison((value, operand) => value <= operand, 'at most'),
  '>': comparison((value, operand) => value > operand, 'above'),
  '>=': comparison((value, operand) => value >= operand, 'at least'),
  contains: {
    meets: (value, operand) =>
      Array.isArray(value)
        ? value.includes(operand)
        : typeof value === 'string' && typeof operand === 'string' && value.includes(operand),
    says: (operand) => `, without ${operand}`,
  },
}

const keySource = String.raw`\.([\p{L}_][\p{L}\p{N}_-]*)|\[(-?\d{1,9}|"(?:[^"\\]|\\.)*"|'[^'\\]*')\]`
const conditionPattern = new RegExp(
  String.raw`^\s*(\$(?:${keySource})*)\s*(==|!=|<=|>=|<|>|contains(?=[\s"]))\s*(\S.*?)\s*$`,
  'su',
)
const keyPattern = new RegExp(keySource, 'gsu')

/** Parses a condition; null if the text is not one. */
export function readJsonCondition(text: string): JsonCondition | null {
  const [, path = '', , , sign = '', value = ''] = conditionPattern.exec(text) ?? []
  const [operator, operand] = [operators[sign], readJson(value)]
  const isNumeric = sign.startsWith('<') || sign.startsWith('>')
  if (!operator || !isScalar(operand) || (isNumeric && typeof operand !== 'number')) return null
  const steps = [...path.matchAll(keyPattern)].map(([, name, index = '']) => name ?? stepOf(index))
  if (steps.includes(undefined)) return null
  return (body) => {
    const found = (steps as (string | number)[]).reduce(valueAt, body)
    if (found === undefined) return `the answer has no ${path}`
    if (operator.meets(found, operand)) return null
    return `the answer's ${path} is ${formatValue(found)}${operator.says(formatValue(operand))}`
  }
}

/** Value of a JSON text; undefined if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // also if it is nested too deeply
  }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Name or number in brackets; undefined for a name that is not a JSON string. */
function stepOf(inBrackets: string): string | number | undefined {
  if (inBrackets.startsWith("'")) return inBrackets.slice(1, -1)
  return readJson(inBrackets) as string | number | undefined
}

function valueAt(at: unknown, step: string | number): unknown {
  if (Array.isArray(at)) return typeof step === 'number' ? at.at(step) : step === 'length' ? at.length : undefined
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
  return (at as Record<string | number, unknown>)[step]
}

const maxShownCharacters = 60

/** A value for people: texts in quotes, long ones cut; lists and objects by their size. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const isLong = typeof value === 'string' && value.length > maxShownCharacters
  return JSON.stringify(isLong ? `${value.slice(0, maxShownCharacters).toWellFormed()}…` : value)
}
