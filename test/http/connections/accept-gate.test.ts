import { expect, test } from 'bun:test'
import { createAcceptGate } from '../../../src/http/connections/accept-gate.ts'

function gated() {
  const gate = createAcceptGate()
  const state = { isAccepting: true, isScarce: true }
  gate.attach({ setAccepting: (isAccepting) => void (state.isAccepting = isAccepting), isScarce: () => state.isScarce })
  return { gate, state }
}

test('a listener accepts nothing while descriptors are scarce and something holds the gate', () => {
  const { gate, state } = gated()
  const releases = [gate.hold(), gate.hold()]
  const seen = [state.isAccepting]
  gate.setOpen(true)
  seen.push(state.isAccepting)
  for (const release of releases) {
    release()
    seen.push(state.isAccepting)
  }
  expect(seen).toEqual([false, false, false, true])
})

test('a gate that was closed while it was held stays closed', () => {
  const { gate, state } = gated()
  const release = gate.hold()
  gate.setOpen(false)
  release()
  expect(state.isAccepting).toBe(false)
})

test('a listener with descriptors enough goes on accepting', () => {
  const { gate, state } = gated()
  state.isScarce = false
  gate.hold()
  expect(state.isAccepting).toBe(true)
})
