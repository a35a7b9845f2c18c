import { expect, test } from 'bun:test'
import { countTests } from '../../scripts/count-tests.mjs'

test('the counts are those of the closing lines, whatever the tests printed', () => {
  const output =
    '(pass) counts\n 7 pass\n\n 2 pass\n 2 skip\n 1 todo\n 5 fail\n 1 error\n 2 expect() calls\nRan 10 tests across 3 files. [43.00ms]\n'
  expect(countTests(output)).toEqual({ passed: 2, failed: 5, skipped: 3 })
})

test('colours and other closing lines do not matter', () => {
  const output =
    '\n\u001B[0m\u001B[32m 1 pass\u001B[0m\n 4 filtered out\n\u001B[0m\u001B[2m 0 fail\u001B[0m\nsnapshots: +1 added\n 1 snapshots, 1 expect() calls\nRan 1 test across 1 file. \u001B[0m[\u001B[1m3.00ms\u001B[0m]\n'
  expect(countTests(output)).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('a run that a test ended has no counts, not zero failures', () => {
  expect(countTests('bun test v1.4.5\n\na.test.ts:\n(pass) ok\n')).toBeUndefined()
})
