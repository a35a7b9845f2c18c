import { expect, test } from 'bun:test'
import { readPromql } from '../../../src/promql/read.ts'
import { hostileTexts, promqlPieces } from '../../support/promql-texts.ts'

test.each(promqlPieces)('the longest texts of %j are read or refused at a place', (piece) => {
  for (const text of hostileTexts(piece)) {
    const { root, problem } = readPromql(text)
    expect(root === null).toBe(problem !== null)
    if (problem) expect(problem.position).toBeWithin(0, text.length + 1)
  }
})
