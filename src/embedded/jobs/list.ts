import type { JobMessages } from '../../concurrency/job-messages.ts'
import { stopwatch } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { truncated } from '../api/parameters.ts'
import { readSelector } from '../api/selectors.ts'
import { tooSlow } from '../promql/budget.ts'
import { inOrderOfLabels, type Labels } from '../../promql/labels.ts'
import { labelsOf } from '../store/file-reader.ts'
import type { FromList, ListJob, ToList } from './messages.ts'
import { inOrder } from './point-batches.ts'
import { requestSelect } from './find.ts'

const charactersPerBatch = 65_536

/** In a worker: lists series, label names, or the values of a label, as sorted JSON. */
export async function answerList(messages: JobMessages<FromList, ToList>): Promise<void> {
  const job = (await messages.next()) as ListJob
  const endMs = stopwatch.now() + job.leftMs
  const assertTime = () => {
    if (stopwatch.now() > endMs) throw tooSlow()
  }
  const all = job.selectors.length === 0 ? await allTexts(messages) : await listSelected(messages, job, assertTime)
  const items = job.limit > 0 ? all.slice(0, job.limit) : all
  let [text, written] = ['[', 0]
  for (const [place, item] of items.entries()) {
    text += `${place === 0 ? '' : ','}${JSON.stringify(typeof item === 'string' ? item : inOrder(item))}`
    if (text.length < charactersPerBatch) continue
    written += text.length
    assertTime()
    if (written > job.maxCharacters) throw new AppError('too_large', 'The list is too long')
    messages.post({ piece: text })
    text = ''
  }
  messages.post({ piece: `${text}]${items.length < all.length ? `,"warnings":["${truncated}"]` : ''}` })
  messages.post({ end: true })
}

async function allTexts({ post, next }: JobMessages<FromList, ToList>): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    post({ all: true })
    const message = await next()
    if (!('texts' in message)) continue
    all.push(...message.texts)
    if (message.isLast) return all.toSorted()
  }
}

async function listSelected(
  messages: JobMessages<FromList, ToList>,
  { list, name, selectors }: ListJob,
  assertTime: () => void,
): Promise<(string | Labels)[]> {
  const series = new Map<number, Labels>()
  const texts = new Set<string>()
  for (const selector of selectors) {
    assertTime()
    const read = { matchers: readSelector(selector), ...noSamples }
    for await (const { ids, keys } of requestSelect(messages, read, assertTime)) {
      assertTime()
      for (const [place, labels] of labelsOf(keys).entries()) {
        if (list === 'series') series.set(ids[place] ?? 0, labels)
        else if (list === 'names') for (const each of Object.keys(labels)) texts.add(each)
        else if (Object.hasOwn(labels, name)) texts.add(labels[name] ?? '')
      }
    }
  }
  if (list !== 'series') return [...texts].toSorted()
  return inOrderOfLabels(Array.from(series.values(), (labels) => ({ labels }))).map(({ labels }) => labels)
}

const noSamples = { fromMs: Infinity, toMs: -Infinity }
