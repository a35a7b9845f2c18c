import type { Schemas } from '../../../../dist/openapi.d.ts'

export type SecondFactor = Schemas['SecondFactor']
export type BegunSetUp = Schemas['BegunSetUp']
export type RecoveryCodeList = Schemas['RecoveryCodes']
