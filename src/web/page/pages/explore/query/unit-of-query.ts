import { type Unit, units } from '../../../address/explore.ts'
import { childrenOf, type SyntaxNode, nodesOf, treeOf } from '../../../editor/tree.ts'

/** Unit of an expression; `moment`: seconds since the epoch; `constant`: a number that is written in the query. */
type Measure = Unit | 'seconds_per_second' | 'moment' | 'constant'

/** Unit of the values of a query, where the names of its metrics and its functions leave no doubt; `number` otherwise. */
export function unitOfQuery(text: string): Unit {
  const top = treeOf(text)
  const measure = top && measureOf(top, text)
  return units.find((unit) => unit === measure) ?? 'number'
}

const expressions = new Set([
  'AggregateExpr',
  'BinaryExpr',
  'FunctionCall',
  'MatrixSelector',
  'NumberDurationLiteral',
  'OffsetExpr',
  'ParenExpr',
  'StepInvariantExpr',
  'SubqueryExpr',
  'UnaryExpr',
  'VectorSelector',
])

const rates = /^(?:i?rate|deriv)$/
const moments = /^(?:time|timestamp)$/
/** Functions whose result has the unit of their vector. */
const unitKeeping =
  /^(?:abs|ceil|floor|round|clamp\w*|sort\w*|label_\w+|scalar|vector|(?:i?delta|increase|predict_linear)|(?:avg|min|max|last|quantile|stddev)_over_time)$/
/** Aggregations whose result has no unit. */
const unitless = new Set(['Count', 'CountValues', 'Group', 'Stdvar'])

function measureOf(node: SyntaxNode, text: string): Measure {
  const inside = childrenOf(node).filter(({ name }) => expressions.has(name))
  switch (node.name) {
    case 'NumberDurationLiteral':
      return 'constant'
    case 'VectorSelector':
      return measureOfMetric(metricOf(node, text))
    case 'AggregateExpr':
      return unitless.has(node.firstChild?.firstChild?.name ?? '') ? 'number' : ofArguments(node, text)
    case 'FunctionCall':
      return measureOfCall(node, text)
    case 'BinaryExpr':
      return measureOfBinary(inside, text)
    default:
      return inside[0] ? measureOf(inside[0], text) : 'number'
  }
}

/** Unit of the vector among the arguments of a function. */
function ofArguments(node: SyntaxNode, text: string): Measure {
  const body = childrenOf(node).find(({ name }) => name === 'FunctionCallBody')
  const measures = (body ? childrenOf(body) : [])
    .filter(({ name }) => expressions.has(name))
    .map((one) => measureOf(one, text))
  return measures.find((one) => one !== 'constant') ?? measures[0] ?? 'number'
}

function measureOfCall(node: SyntaxNode, text: string): Measure {
  const name = text.slice(node.firstChild?.from, node.firstChild?.to)
  if (moments.test(name)) return 'moment'
  if (name === 'histogram_fraction') return 'ratio'
  if (name === 'histogram_quantile') {
    const [buckets] = nodesOf(node, 'VectorSelector')
    return buckets ? measureOfMetric(metricOf(buckets, text).replace(/_bucket$/, '')) : 'number'
  }
  if (unitKeeping.test(name)) return ofArguments(node, text)
  if (!rates.test(name)) return 'number'
  const measure = ofArguments(node, text)
  if (measure === 'bytes') return 'bytes_per_second'
  return measure === 'seconds' ? 'seconds_per_second' : 'per_second'
}

function measureOfBinary([left, right]: SyntaxNode[], text: string): Measure {
  if (!left || !right) return 'number'
  const [one, other] = [measureOf(left, text), measureOf(right, text)]
  const sourceText = ({ from, to }: SyntaxNode) => text.slice(from, to)
  const operator = text.slice(left.to, right.from).trim()
  const isConstant = one === 'constant' || other === 'constant'
  const ofBoth = one === 'constant' ? other : one
  if (/^(?:[=!<>]=?)/.test(operator)) return /\bbool\b/.test(operator) ? 'number' : ofBoth
  if (/^(?:and|unless)\b/i.test(operator)) return one
  if (/^or\b/i.test(operator)) return one === other || isConstant ? ofBoth : 'number'
  switch (operator.charAt(0)) {
    case '+':
    case '-':
      if (one === 'moment' && other === 'moment') return 'seconds'
      return one === other || isConstant ? ofBoth : 'number'
    case '*':
      return ofBoth === 'ratio' && Number(sourceText(one === 'constant' ? left : right)) === 100 ? 'percent' : 'number'
    case '/':
      return isConstant || one === 'number' ? 'number' : measureOfShare(one, other)
    default:
      return 'number'
  }
}

function measureOfShare(one: Measure, other: Measure): Measure {
  if (one === other) return 'ratio'
  if (other !== 'per_second') return 'number'
  return one === 'seconds_per_second' ? 'seconds' : one === 'bytes_per_second' ? 'bytes' : 'number'
}

function metricOf(selector: SyntaxNode, text: string): string {
  const name = selector.firstChild
  return name?.name === 'Identifier' ? text.slice(name.from, name.to) : ''
}

const suffixes: [RegExp, Measure][] = [
  [/(?:timestamp|start_time|boot_time|_created)(?:_seconds)?$/, 'moment'],
  [/(?:_bucket|_count)$/, 'number'],
  [/_(?:milliseconds|ms)(?:_total|_sum)?$/, 'milliseconds'],
  [/_seconds(?:_total|_sum)?$/, 'seconds'],
  [/_bytes(?:_total|_sum)?$/, 'bytes'],
  [/(?:^|[_:])ratio(?:_?rate)?(?:\d+[smhdw])?$/, 'ratio'],
  [/_percent(?:age)?$/, 'percent'],
]

function measureOfMetric(name: string): Measure {
  return suffixes.find(([pattern]) => pattern.test(name))?.[1] ?? 'number'
}
