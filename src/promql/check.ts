import { rangeMs, shiftOf, stepLengthMs } from './durations.ts'
import { unsupported, invalidPromql } from './errors.ts'
import { isLabelName, metricName } from './labels.ts'
import { nameOf, stringOf } from './literals.ts'
import { matchersOf } from './matchers.ts'
import { readPromql } from './read.ts'
import { signatures, type ValueType } from './signatures.ts'
import {
  type Aggregate,
  type Binary,
  type Call,
  childrenOf,
  comparisons,
  type Expr,
  type Matching,
  setOperators,
} from './syntax.ts'
import { descendants, memoizeByObject } from './tree.ts'

/** Generated queries repeat the query of an SLO, of up to 10,000 characters, many times. */
const maxGeneratedCharacters = 262_144

/** Parses an expression that the embedded source can evaluate. Throws `invalid` with details that name the error. */
export function parsePromql(text: string, maxCharacters = maxGeneratedCharacters): Expr {
  const { root, problem } = readPromql(text, maxCharacters)
  if (problem) throw invalidPromql(`parse error at character ${problem.position + 1}: ${problem.message}`)
  if (!root) throw invalidPromql('no expression found in input')
  if (patternsIn(root) > maxPatterns) throw invalidPromql(`must be at most ${maxPatterns} regular expressions`)
  checkParts(root)
  checkTypes(root)
  return root
}

/** Each regular expression may take megabytes of memory to match. */
const maxPatterns = 100

function patternsIn(root: Expr): number {
  return descendants(root).reduce((sum, expr) => {
    if (expr.kind === 'call') return sum + Number(expr.name === 'label_replace')
    return expr.kind === 'selector' ? sum + expr.matchers.filter(({ operator }) => operator.endsWith('~')).length : sum
  }, 0)
}

/** Throws if a part is invalid in Prometheus or not supported by the embedded source. */
function checkParts(expr: Expr): void {
  if (expr.kind === 'anchored' || expr.kind === 'smoothed') throw unsupported(`“${expr.kind}”`)
  if (expr.kind === 'binary') {
    if (expr.operator === '>/' || expr.operator === '</') throw unsupported(`the operator “${expr.operator}”`)
    if (expr.fill !== null) throw unsupported('“fill”')
    if (expr.matching) unquotedMatching(expr.matching)
  }
  const [vector, data] = expr.kind === 'call' && expr.name === 'info' && expr.args.length === 2 ? expr.args : []
  if (vector && data) {
    checkParts(vector)
    return checkInfoLabels(data)
  }
  childrenOf(expr).forEach(checkParts)
  switch (expr.kind) {
    case 'string':
      return void stringOf(expr.text)
    case 'selector':
      if (matchersOf(expr).every(({ fits }) => fits('')))
        throw invalidPromql('vector selector must contain at least one non-empty matcher')
      return
    case 'range': {
      const { operand, offsetMs, at } = shiftOf(expr.expr)
      if (operand.kind !== 'selector') throw invalidPromql('ranges only allowed for vector selectors')
      if (offsetMs !== 0) throw invalidPromql('no offset modifiers allowed before range')
      if (at !== null) throw invalidPromql('no @ modifiers allowed before range')
      return void rangeMs(expr.range)
    }
    case 'subquery':
      if (expr.step) stepLengthMs(expr.step)
      return void rangeMs(expr.range)
    case 'offset':
    case 'at':
      return checkShift(expr)
    case 'aggregate':
      if (expr.args.length !== (parametrized.has(expr.operator) ? 2 : 1))
        throw invalidPromql(`wrong number of arguments for aggregate expression ${expr.operator}`)
      return void labelNames(expr.grouping?.labels ?? [])
  }
}

const parametrized = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio', 'quantile', 'count_values'])

/** Checks the second argument of `info`. It filters labels to add and selects no series, so all matchers may be empty. */
function checkInfoLabels(data: Expr) {
  if (data.kind !== 'selector' || data.metric !== null)
    throw invalidPromql('expected label selectors only as the second argument of “info”')
  matchersOf(data)
}

function checkShift(expr: Extract<Expr, { kind: 'offset' | 'at' }>) {
  const name = expr.kind === 'offset' ? 'offset' : '@'
  if (expr.expr.kind === 'paren') throw invalidPromql(`${name} modifier must be preceded by a selector or a subquery`)
  const { operand } = shiftOf(expr)
  const inner = shiftOf(expr.expr)
  if (!['selector', 'range', 'subquery'].includes(operand.kind))
    throw invalidPromql('offset and @ modifiers must be preceded by a selector or a subquery')
  if (expr.kind === 'offset' && inner.offsetMs !== 0) throw invalidPromql('offset may not be set multiple times')
  if (expr.kind === 'at' && inner.at !== null) throw invalidPromql('@ <timestamp> may not be set multiple times')
}

/** Label names without quotes; throws if one is invalid. */
export function labelNames(labels: readonly string[]): string[] {
  return labels.map((label) => {
    const name = nameOf(label)
    if (!isLabelName(name)) throw invalidPromql(`invalid label name for grouping: ${JSON.stringify(name)}`)
    return name
  })
}

/** Matching with its label names unquoted; throws if one is invalid. */
export function unquotedMatching({ on, labels, many, include }: Matching): Matching {
  return { on, labels: labelNames(labels), many, include: labelNames(include) }
}

/** Type of the value of an expression. */
export const typeOf = memoizeByObject((expr: Expr): ValueType => {
  switch (expr.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'range':
    case 'subquery':
      return 'range vector'
    case 'call':
      return signatures.get(expr.name)?.gives ?? 'instant vector'
    case 'binary':
      return [expr.left, expr.right].every(isScalar) ? 'scalar' : 'instant vector'
    case 'selector':
    case 'aggregate':
      return 'instant vector'
    default:
      return typeOf(expr.expr)
  }
})

const isScalar = (expr: Expr) => typeOf(expr) === 'scalar'
const isNumeric = (expr: Expr) => isScalar(expr) || typeOf(expr) === 'instant vector'

/** Throws if an expression combines types in a way that Prometheus rejects when it parses the query. */
function checkTypes(expr: Expr): void {
  if (expr.kind === 'call') return checkCall(expr)
  if (expr.kind === 'aggregate') return checkAggregate(expr)
  if (expr.kind === 'binary') return checkBinary(expr)
  childrenOf(expr).forEach(checkTypes)
  if (expr.kind === 'unary' && !isNumeric(expr.expr))
    throw invalidPromql('unary expression only allowed on expressions of type scalar or instant vector')
  if (expr.kind === 'subquery') expectType('instant vector', expr.expr, 'subquery')
}

function expectType(type: ValueType, expr: Expr, where: string) {
  if (typeOf(expr) !== type) throw invalidPromql(`expected type ${type} in ${where}, got ${typeOf(expr)}`)
}

function checkCall({ name, args }: Call) {
  const signature = signatures.get(name)
  if (!signature) throw unsupported(`the function ${name}()`)
  const { takes, optional, repeats } = signature
  const max = repeats ? Infinity : takes.length
  if (args.length > max || args.length < takes.length - optional)
    throw invalidPromql(`wrong number of arguments in call to “${name}”: got ${args.length}`)
  args.forEach((arg, index) => {
    checkTypes(arg)
    expectType(takes[index] ?? takes.at(-1) ?? 'scalar', arg, `call to function “${name}”`)
  })
}

function checkAggregate({ operator, args }: Aggregate) {
  const [vector, param] = args.toReversed()
  if (vector) {
    checkTypes(vector)
    expectType('instant vector', vector, 'aggregation expression')
  }
  if (!param) return
  checkTypes(param)
  expectType(operator === 'count_values' ? 'string' : 'scalar', param, 'aggregation parameter')
}

function checkBinary({ operator, bool, matching, left, right }: Binary) {
  for (const side of [left, right]) {
    checkTypes(side)
    if (!isNumeric(side)) throw invalidPromql('binary expression must contain only scalar and instant vector types')
  }
  const scalars = [left, right].filter(isScalar).length
  const isComparison = comparisons.has(operator)
  if (bool && !isComparison) throw invalidPromql('bool modifier can only be used on comparison operators')
  if (isComparison && !bool && scalars === 2) throw invalidPromql('comparisons between scalars must use BOOL modifier')
  if (setOperators.has(operator) && scalars > 0)
    throw invalidPromql(`set operator “${operator}” not allowed in binary scalar expression`)
  if (!matching) return
  const { on, labels, many, include } = unquotedMatching(matching)
  if (setOperators.has(operator) && many) throw invalidPromql(`no grouping allowed for “${operator}” operation`)
  if (scalars > 0 && (labels.length > 0 || many))
    throw invalidPromql('vector matching only allowed between instant vectors')
  const twice = on && many ? include.find((name) => labels.includes(name)) : undefined
  if (twice !== undefined && twice !== metricName)
    throw invalidPromql(`label “${twice}” must not occur in ON and GROUP clause at once`)
}
