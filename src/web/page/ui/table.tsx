import type { ComponentChildren } from 'preact'
import type { Paged } from '../api/history.ts'
import { Pager } from './pager.tsx'

/** Column of a table. A cell may read signals; what needs hooks is a component in it. */
export type Column<T> = {
  /** Text of the head, and on a phone the label of each cell. */
  head: string
  cell: (row: T) => ComponentChildren
  isNumber?: boolean
  /** Class of the cells, beside that of numbers. */
  class?: string | ((row: T) => string | undefined)
  /** True if only screen readers get the head: for columns that need none, such as one of buttons. */
  isHeadHidden?: boolean
}

type RowAttributes = { class?: string | undefined; [data: `data-${string}`]: string | number | undefined }

type RowProps<T> = {
  columns: readonly Column<T>[]
  attributes?: (row: T) => RowAttributes
  /** Further `<tr>` below a row, over a number of columns, for its details. */
  rowBelow?: (row: T, columnCount: number) => ComponentChildren
}

type Props<T> = RowProps<T> & {
  rows: readonly T[]
  rowKey: (row: T) => string | number
  /** Name for screen readers; absent where the heading above says it. */
  caption?: string
  class?: string
  /** Buttons at the end of a row. */
  actions?: (row: T) => ComponentChildren
  /** Sentence in place of a table without rows. */
  empty?: ComponentChildren
  /** Page of the list, and its name for screen readers. */
  pager?: { of: Paged; what: string } | undefined
}

/** Rows of a list, which are cards on a phone. The first column names its row. */
export function Table<T>({ rows, rowKey, caption, actions, empty, pager, ...props }: Props<T>) {
  const columns = actions ? [...props.columns, actionsColumn(actions)] : props.columns
  return (
    <>
      {rows.length === 0 && empty ? (
        <p class="muted">{empty}</p>
      ) : (
        <table class={props.class === undefined ? 'rows' : `rows ${props.class}`}>
          {caption !== undefined && <caption class="hidden-text">{caption}</caption>}
          <thead>
            <tr>
              {columns.map(({ head, isNumber, isHeadHidden }) => (
                <th key={head} scope="col" class={isNumber ? 'number' : undefined}>
                  {isHeadHidden ? <span class="hidden-text">{head}</span> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={rowKey(row)} of={row} {...props} columns={columns} />
            ))}
          </tbody>
        </table>
      )}
      {pager && <Pager {...pager} />}
    </>
  )
}

function Row<T>({ of, columns, attributes, rowBelow }: RowProps<T> & { of: T }) {
  return (
    <>
      <tr {...attributes?.(of)}>
        {columns.map((column, at) => {
          const { head, cell, isHeadHidden } = column
          const [content, ofCell] = [cell(of), classOf(column, of)]
          return at === 0 ? (
            <th key={head} scope="row" class={ofCell}>
              {content}
            </th>
          ) : (
            <td key={head} data-label={isHeadHidden ? undefined : head} class={ofCell}>
              {content}
            </td>
          )
        })}
      </tr>
      {rowBelow?.(of, columns.length)}
    </>
  )
}

function actionsColumn<T>(actions: (row: T) => ComponentChildren): Column<T> {
  return { head: 'Actions', isHeadHidden: true, class: 'row-actions', cell: (row) => <div>{actions(row)}</div> }
}

function classOf<T>({ isNumber, class: own }: Column<T>, row: T): string | undefined {
  const given = typeof own === 'function' ? own(row) : own
  return isNumber ? `number${given === undefined ? '' : ` ${given}`}` : given
}
