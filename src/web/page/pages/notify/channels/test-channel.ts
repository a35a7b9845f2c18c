import { ApiError, send } from '../../../api/client.ts'
import { inPageWords } from '../../../api/page-words.ts'
import { sentenceOf } from '../../../api/problems.ts'
import { invalidate } from '../../../api/resource.ts'
import { now } from '../../../clock.ts'

/** Result of a test. `isArrived`: the receiver or a relay took it; `text`: its answer, or the reason why nothing was sent. */
export type TestAnswer = { isArrived: boolean; text: string; atMs: number }

/** Sends a test through a stored channel and waits for the receiver's answer. `opensIncidents`: a recovery follows. */
export async function testChannel(channelId: number, opensIncidents: boolean): Promise<TestAnswer> {
  const body = {
    channel_id: channelId,
    subject: 'Test of nines',
    message: 'Alerts can arrive here.',
    event: opensIncidents ? 'both' : 'alert',
  }
  try {
    const { data } = await send<{ data: { status: string } }>('POST', '/notifications/test', { body })
    const text =
      data.status === 'delivered'
        ? 'It arrived: the receiver has acknowledged it.'
        : 'It is on its way: a relay has taken it.'
    return { isArrived: true, text, atMs: now() }
  } catch (error) {
    return { isArrived: false, text: refusal(error), atMs: now() }
  } finally {
    invalidate('/notifications/channels')
  }
}

function refusal(error: unknown): string {
  if (!(error instanceof ApiError) || error.details === undefined) return sentenceOf(error)
  return inPageWords(error.status === 500 ? `Not delivered: ${error.details}` : `${error.message}: ${error.details}`)
}
