import type { Schemas } from '../../../../../dist/openapi.d.ts'

export type Target = Schemas['Target']
export type Probe = Schemas['Probe']
export type Source = Schemas['DataSource']
export type Trial = Schemas['CollectionTrial']
export type SourceTrial = Schemas['SourceTrial']
export type Findings = NonNullable<Schemas['ProbeFindings']>
export type Certificate = Schemas['Certificate']
export type Storage = Schemas['SampleStorage']
export type ImportedPart = Schemas['ImportedPart']
export type Heartbeat = Schemas['Heartbeat']
export type HeartbeatDetail = Schemas['HeartbeatDetail']
export type Ingestion = Schemas['Ingestion']
export type Sender = Schemas['Sender']
export type PingKey = Schemas['PingKey']
export type HeartbeatRun = Schemas['HeartbeatRun']
export type ReadingSlos = Schemas['ReadingSlos']
