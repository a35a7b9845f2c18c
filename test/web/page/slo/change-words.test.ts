import { expect, test } from 'bun:test'
import { fieldName } from '../../../../src/web/page/slo/change-words.ts'

test.each([
  ['target', 'target'],
  ['good_query', 'good query'],
  ['budget_policy', 'budget policy'],
  ['metric_query', 'query'],
  ['team_id', 'team'],
])('the field %p is called %p', (field, name) => expect(fieldName(field)).toBe(name))
