import { describe } from 'bun:test'
import { suites } from './suites.ts'
import { testAttacks } from './test-attacks.ts'

describe('an organization that has all it may', () => testAttacks(suites['full-size']))
