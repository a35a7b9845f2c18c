import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { link } from '../address/base.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { loadCode } from '../ui/lazy.ts'
import { nowMs } from '../ui/time.tsx'
import { formatFull } from '../format.ts'
import { formatCell, isMoment } from './cell.ts'
import { type Columns, type TableData, tableOf } from './table-data.ts'

export type FigureProps<Row> = {
  title: string
  /** Sentence that describes the chart with its values. */
  sentence: ComponentChildren
  rows: readonly Row[]
  /** Columns of table and CSV; a function, if the table shows only some of them. */
  columns: Columns<Row> | ((of: 'table' | 'csv') => Columns<Row>)
  /** Name of the files, without their ending. */
  name: string
  /** Path of Explore with the queries of the chart. */
  explore?: string | undefined
  tools?: ComponentChildren
  children: ComponentChildren
}

/** A chart with a sentence, and its values as table, CSV and PNG. */
export function Figure<Row>({ title, sentence, rows, columns, name, explore, tools, children }: FigureProps<Row>) {
  const [isTable, setTable] = useState(false)
  const valuesOf = (of: 'table' | 'csv') => tableOf(rows, typeof columns === 'function' ? columns(of) : columns)
  const body = useRef<HTMLDivElement>(null)
  return (
    <figure class="figure">
      <header>
        <h2>{title}</h2>
        <div class="tools">
          {tools}
          {explore !== undefined && (
            <a
              class="button quiet small"
              href={link(explore)}
              aria-label="Open in Explore"
              title="Open in Explore"
              data-icon-only
            >
              <Icon name="compass" />
            </a>
          )}
          <IconButton
            small
            icon={isTable ? 'chart-line' : 'table'}
            label={isTable ? 'Show as chart' : 'Show as table'}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          />
          <IconButton small icon="download" label="Save as CSV" onClick={() => void saveCsv(valuesOf('csv'), name)} />
          <IconButton
            small
            icon="image"
            label="Save as PNG"
            unavailable={isTable ? 'Show the chart first' : undefined}
            onClick={() => void savePicture(body.current, title, `${name}.png`)}
          />
        </div>
      </header>
      <div ref={body}>{isTable ? <Table {...valuesOf('table')} /> : children}</div>
      <figcaption>{sentence}</figcaption>
    </figure>
  )
}

function Table({ columns, rows }: TableData) {
  return (
    <div class="figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{isMoment(cell) ? <Moment iso={cell} /> : formatCell(cell, nowMs.peek())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Moment({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatFull(Date.parse(iso))}>
      {formatCell(iso, nowMs.peek())}
    </time>
  )
}

export async function saveCsv(values: TableData, name: string): Promise<void> {
  const { csvOf } = await loadCode(() => import('./csv.ts'))
  save(csvOf(values), 'text/csv', `${name}.csv`)
}

async function savePicture(element: HTMLElement | null, title: string, name: string): Promise<void> {
  const { pictureOf } = await loadCode(() => import('./picture.ts'))
  const picture = element && (await pictureOf(element, title))
  if (picture) save(picture, 'image/png', name)
}

/** Downloads content as a file. */
export function save(content: string | Blob, type: string, name: string): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
