import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { saveCsv } from '../../../charts/figure.tsx'
import { formatMoment } from '../../../format.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { type Data, type Labels, lengthOf, numberOf, type Sample, type Series } from '../answer.ts'
import { type Drill, SeriesText, DrillStepsRow } from '../drill.tsx'
import { HistogramValue } from './histogram.tsx'
import { tableFigures } from './table-figures.ts'
import { firstSeriesSentence, lastSamplesWords, tableTitle } from '../words.ts'

const maxRows = 200
const maxPoints = 20

/** Result of a query at the end of the range: a row for each series, or a single value. */
export function QueryTable({ letter, data, drill }: { letter: string; data: Data; drill: Drill }) {
  const [isSorted, setSorted] = useState(false)
  const figures = useMemo(() => () => tableFigures(data), [data])
  return (
    <section class="explore-table">
      <header>
        <h2>{tableTitle(letter)}</h2>
        <div class="tools">
          {data.resultType === 'vector' && (
            <Button small kind="quiet" aria-pressed={isSorted} onClick={() => setSorted(!isSorted)}>
              Highest first
            </Button>
          )}
          <IconButton
            small
            icon="download"
            label="Save as CSV"
            onClick={() => void saveCsv(figures(), `query-${letter}`)}
          />
        </div>
      </header>
      {data.resultType === 'vector' && (
        <Vector samples={isSorted ? highestFirst(data.result) : data.result} drill={drill} />
      )}
      {data.resultType === 'matrix' && <Matrix series={data.result} drill={drill} />}
      {data.resultType === 'scalar' && <p class="explore-value">{shownValue(data.result[1])}</p>}
      {data.resultType === 'string' && (
        <p class="explore-value">
          <code>{JSON.stringify(data.result[1])}</code>
        </p>
      )}
    </section>
  )
}

function Vector({ samples, drill }: { samples: readonly Sample[]; drill: Drill }) {
  return (
    <Rows total={samples.length} value="Value">
      {samples.slice(0, maxRows).map(({ metric, value, histogram }, at) => (
        <Row key={at} metric={metric} drill={drill}>
          {value && <span class="number">{shownValue(value[1])}</span>}
          {histogram && <HistogramValue of={histogram[1]} />}
        </Row>
      ))}
    </Rows>
  )
}

function Matrix({ series, drill }: { series: readonly Series[]; drill: Drill }) {
  return (
    <Rows total={series.length} value="Samples">
      {series.slice(0, maxRows).map(({ metric, values = [], histograms = [] }, at) => (
        <Row key={at} metric={metric} drill={drill}>
          <ul class="explore-points">
            {values.slice(-maxPoints).map(([seconds, text]) => (
              <li key={seconds}>
                <span class="number">{shownValue(text)}</span> <At seconds={seconds} />
              </li>
            ))}
            {histograms.slice(-maxPoints).map(([seconds, histogram]) => (
              <li key={seconds}>
                <HistogramValue of={histogram} /> <At seconds={seconds} />
              </li>
            ))}
          </ul>
          {lengthOf(values) + lengthOf(histograms) > maxPoints && (
            <span class="muted">{lastSamplesWords(maxPoints, lengthOf(values) + lengthOf(histograms))}</span>
          )}
        </Row>
      ))}
    </Rows>
  )
}

function At({ seconds }: { seconds: number }) {
  const ms = seconds * 1000
  return (
    <time class="muted" dateTime={new Date(ms).toISOString()} title={new Date(ms).toISOString()}>
      {formatMoment(ms, nowMs.peek())}
    </time>
  )
}

function Rows({ total, value, children }: { total: number; value: string; children: ComponentChildren }) {
  return (
    <>
      <div class="explore-rows" tabIndex={0} role="region" aria-label="Result">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Series</th>
              <th scope="col" class="number">
                {value}
              </th>
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      {total > maxRows && <p class="muted">{firstSeriesSentence(maxRows, total)}</p>}
    </>
  )
}

function Row({ metric, drill, children }: { metric: Labels; drill: Drill; children: ComponentChildren }) {
  const [label, setLabel] = useState<string | null>(null)
  return (
    <>
      <tr>
        <th scope="row">
          <SeriesText labels={metric} opened={label} onOpen={setLabel} />
        </th>
        <td class="number">{children}</td>
      </tr>
      {label !== null && (
        <DrillStepsRow columns={2} labels={metric} label={label} drill={drill} onClose={() => setLabel(null)} />
      )}
    </>
  )
}

/** A value as the source sent it, with a true minus. */
function shownValue(text: string): string {
  return text.replace('-', '−').replace('e-', 'e−')
}

/** Sorts the highest value first; NaN and histograms come last. */
function highestFirst(samples: readonly Sample[]): Sample[] {
  const rank = ({ value }: Sample) => {
    const number = value ? numberOf(value[1]) : Number.NaN
    return Number.isNaN(number) ? -Infinity : number
  }
  return samples.toSorted((a, b) => (rank(b) > rank(a) ? 1 : rank(b) < rank(a) ? -1 : 0))
}
