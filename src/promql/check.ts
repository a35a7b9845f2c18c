import { leftOut, unreadable } from './errors.ts'
import { metricName } from './labels.ts'
import { signatures, type ValueType } from './signatures.ts'
import { type Aggregate, type Binary, type Call, comparisons, type Expr, setOperators } from './syntax.ts'

/** The type of what an expression gives. */
export function typeOf(expr: Expr): ValueType {
  if (expr.kind === 'number') return 'scalar'
  if (expr.kind === 'string') return 'string'
  if (expr.kind === 'range' || expr.kind === 'subquery') return 'range vector'
  if (expr.kind === 'unary') return typeOf(expr.expr)
  if (expr.kind === 'call') return signatures.get(expr.name)?.gives ?? 'instant vector'
  if (expr.kind === 'binary') return typeOfBinary(expr)
  return 'instant vector'
}

const binaryTypes = new WeakMap<Binary, ValueType>() // asked at each level of a chain, it would be worked out for all below

function typeOfBinary(expr: Binary): ValueType {
  const known = binaryTypes.get(expr) ?? ([expr.left, expr.right].every(isScalar) ? 'scalar' : 'instant vector')
  binaryTypes.set(expr, known)
  return known
}

const isScalar = (expr: Expr) => typeOf(expr) === 'scalar'

/** Throws where an expression asks for what Prometheus refuses before it looks at any data. */
export function checkTypes(expr: Expr): void {
  if (expr.kind === 'call') checkCall(expr)
  else if (expr.kind === 'aggregate') checkAggregate(expr)
  else if (expr.kind === 'binary') checkBinary(expr)
  else if (expr.kind === 'unary') {
    checkTypes(expr.expr)
    if (!['scalar', 'instant vector'].includes(typeOf(expr.expr)))
      throw unreadable('unary expression only allowed on expressions of type scalar or instant vector')
  } else if (expr.kind === 'subquery') {
    checkTypes(expr.expr)
    wants('instant vector', expr.expr, 'subquery')
  }
}

function wants(type: ValueType, expr: Expr, where: string) {
  if (typeOf(expr) !== type) throw unreadable(`expected type ${type} in ${where}, got ${typeOf(expr)}`)
}

function checkCall({ name, args }: Call) {
  const signature = signatures.get(name)
  if (!signature) throw leftOut(`the function ${name}()`)
  const { takes, optional, repeats } = signature
  const most = repeats ? Infinity : takes.length
  if (args.length > most || args.length < takes.length - optional)
    throw unreadable(`wrong number of arguments in call to “${name}”: got ${args.length}`)
  args.forEach((arg, index) => {
    checkTypes(arg)
    wants(takes[index] ?? takes.at(-1) ?? 'scalar', arg, `call to function “${name}”`)
  })
}

function checkAggregate({ operator, param, expr }: Aggregate) {
  checkTypes(expr)
  wants('instant vector', expr, 'aggregation expression')
  if (!param) return
  checkTypes(param)
  wants(operator === 'count_values' ? 'string' : 'scalar', param, 'aggregation parameter')
}

function checkBinary({ operator, bool, matching, left, right }: Binary) {
  for (const side of [left, right]) {
    checkTypes(side)
    if (!['scalar', 'instant vector'].includes(typeOf(side)))
      throw unreadable('binary expression must contain only scalar and instant vector types')
  }
  const scalars = [left, right].filter(isScalar).length
  const isComparison = comparisons.has(operator)
  if (bool && !isComparison) throw unreadable('bool modifier can only be used on comparison operators')
  if (isComparison && !bool && scalars === 2) throw unreadable('comparisons between scalars must use BOOL modifier')
  if (setOperators.has(operator) && scalars > 0)
    throw unreadable(`set operator “${operator}” not allowed in binary scalar expression`)
  if (setOperators.has(operator) && matching?.many) throw unreadable(`no grouping allowed for “${operator}” operation`)
  if (matching && scalars > 0 && (matching.labels.length > 0 || matching.many))
    throw unreadable('vector matching only allowed between instant vectors')
  const twice =
    matching?.on && matching.many ? matching.include.find((name) => matching.labels.includes(name)) : undefined
  if (twice !== undefined && twice !== metricName)
    throw unreadable(`label “${twice}” must not occur in ON and GROUP clause at once`)
}
