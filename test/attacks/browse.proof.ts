import { describe } from 'bun:test'
import { suites } from './suites.ts'
import { testAttacks } from './test-attacks.ts'

describe('attacks by and on sources that are browsed', () => testAttacks(suites.browse))
