import type { Matcher } from './matchers.ts'

/** `atMs`: the time of an `@`, null without one. A negative offset looks ahead. */
export type Shift = { offsetMs: number; at: number | 'start' | 'end' | null }

export type Selector = Shift & { kind: 'selector'; matchers: Matcher[] }
export type Range = { kind: 'range'; selector: Selector; rangeMs: number }
/** `stepMs` is null where the source's own is meant. */
export type Subquery = Shift & { kind: 'subquery'; expr: Expr; rangeMs: number; stepMs: number | null }
/** `argsFrom`: where each argument begins in the query. */
export type Call = { kind: 'call'; name: string; args: Expr[]; argsFrom: number[] }
export type Aggregate = {
  kind: 'aggregate'
  operator: string
  param: Expr | null
  /** Where the parameter begins in the query. */
  paramFrom: number
  expr: Expr
  labels: string[]
  without: boolean
}

/** `many`: the side that may have several series for one of the other, which then gives it the labels `include`. */
export type Matching = { on: boolean; labels: string[]; many: 'left' | 'right' | null; include: string[] }
export type Binary = {
  kind: 'binary'
  operator: string
  bool: boolean
  matching: Matching | null
  left: Expr
  right: Expr
}

/** An expression of PromQL; what stood in parentheses is there without them. */
export type Expr =
  | { kind: 'number'; value: number }
  | { kind: 'string'; value: string }
  | Selector
  | Range
  | Subquery
  | Call
  | Aggregate
  | Binary
  | { kind: 'unary'; negates: boolean; expr: Expr }

export const comparisons = new Set(['==', '!=', '<', '>', '<=', '>='])
export const setOperators = new Set(['and', 'or', 'unless'])
