import { expect, test } from 'bun:test'
import { createClosing } from '../../src/app/closing.ts'

test('what was built last ends first, each after the one before has ended', async () => {
  const { onClose, close } = createClosing()
  const ended: string[] = []
  onClose(() => void ended.push('files'))
  onClose(async () => {
    await new Promise(setImmediate)
    ended.push('delivery')
  })
  await close()
  expect(ended).toEqual(['delivery', 'files'])
})

test('what fails to end keeps nothing else open, and is thrown at the end', async () => {
  const { onClose, close } = createClosing()
  const ended: string[] = []
  onClose(() => void ended.push('lock'))
  onClose(() => Promise.reject(new Error('disk is full')))
  onClose(() => void ended.push('cache'))
  await expect(close()).rejects.toThrow('disk is full')
  expect(ended).toEqual(['cache', 'lock'])
})
