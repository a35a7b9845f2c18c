import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { suites } from './suites.ts'

test('every suite of attacks is proved', () => {
  const proofs = readdirSync(import.meta.dir).filter((name) => name.endsWith('.proof.ts'))
  expect(proofs.toSorted()).toEqual(
    Object.keys(suites)
      .map((name) => `${name}.proof.ts`)
      .toSorted(),
  )
})
