import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Clock } from '../clock.ts'
import { invalid, nameInUse } from '../errors.ts'
import { type Actor, auditWriter } from './audit.ts'
import { isDuplicate } from './failures/constraints.ts'
import type { Database, Db } from './open.ts'
import type { OrganizationRows } from './organization-rows.ts'
import type { Seal, SealedColumn, SealedRow } from './sealing/seal.ts'
import type { Tables } from './tables/tables.ts'

type Parts<Name> = Name extends `${infer Table}.${infer Column}` ? { table: Table; column: Column } : never
type SealedTable = Exclude<Parts<SealedColumn>['table'], 'second_factors'>
type SecretOf<Table> = Extract<Parts<SealedColumn>, { table: Table }>['column']

/** Columns that edits set themselves. */
type Managed<Table> = 'organization_id' | 'created_at' | 'updated_at' | SecretOf<Table>

type Options<Table extends SealedTable> = {
  /** Column that holds the secret: a JSON value, sealed for its row. */
  sealed: SecretOf<Table>
  /** Name of a row in audit events (`target_created`) and in errors. */
  event: 'source' | 'channel' | 'target' | 'probe' | 'heartbeat'
  /** Audit details of a row, without secrets. */
  audited: (row: Selectable<Tables[Table]>) => Record<string, unknown>
}

/** A new row. `secret` null: the sealed column is null. `also`: further audit details. */
type Creation<Table extends SealedTable> = {
  columns: Omit<Insertable<Tables[Table]>, Managed<Table>>
  secret: unknown
  also?: Record<string, unknown>
}

/** Changed columns. `secret` undefined: the stored one stays. */
type Change<Table extends SealedTable> = {
  columns: Omit<Updateable<Tables[Table]>, Managed<Table>>
  secret?: unknown
  also: Record<string, unknown>
}

type Deps = { db: Database; clock: Clock; seal: Seal }

/**
 * Creates, changes and removes rows that have a sealed column: each in one transaction, with its audit entry. The functions that
 * they take run inside the transaction, and await nothing but statements on `trx`.
 */
export function sealedEdits<Table extends SealedTable>(
  rows: OrganizationRows<Table>,
  { sealed, event, audited }: Options<Table>,
) {
  type Row = Selectable<Tables[Table]>
  const audit = auditWriter(audited)

  /** The sealed column of a row. Casts here and below: Kysely's types cannot follow a table that is a parameter. */
  function sealedFor(row: SealedRow, seal: Seal, secret: unknown): Updateable<Tables[Table]> {
    const column = `${rows.table}.${sealed}` as SealedColumn
    const text = secret === null ? null : seal.seal(JSON.stringify(secret), column, row)
    return { [sealed]: text } as Updateable<Tables[Table]>
  }

  return {
    /** Throws `conflict` if the name is in use or the quota is used up. */
    async create(
      { db, clock, seal }: Deps,
      caller: Actor,
      make: (trx: Db) => Creation<Table> | Promise<Creation<Table>>,
    ): Promise<Row> {
      const { organizationId } = caller
      return storeNamed(db, rows.what, async (trx) => {
        const nowMs = clock.now()
        const { columns, secret, also = {} } = await make(trx)
        const managed = { organization_id: organizationId, created_at: nowMs, updated_at: nowMs, [sealed]: '' }
        const inserted = await rows.insert(trx, { ...columns, ...managed } as never)
        const unsealed = inserted as Row & SealedRow // with the id that the secret is sealed for
        const row = await rows.update(trx, organizationId, unsealed.id, sealedFor(unsealed, seal, secret))
        await audit(trx, caller, `${event}_created`, row, also, nowMs)
        return row
      })
    },

    /** Throws `invalid` for an update without a field, `not_found`, and `conflict` if the name is in use. */
    async change(
      { db, clock, seal }: Deps,
      caller: Actor,
      { id, update }: { id: number; update: object },
      make: (current: Row, trx: Db, nowMs: number) => Change<Table> | Promise<Change<Table>>,
    ): Promise<Row> {
      if (Object.keys(update).length === 0) throw invalid('body', `must have at least one known field of a ${event}`)
      const { organizationId } = caller
      return storeNamed(db, rows.what, async (trx) => {
        const nowMs = clock.now()
        const current = await rows.get(trx, organizationId, id)
        const { columns, secret, also } = await make(current, trx, nowMs)
        const row = await rows.update(trx, organizationId, id, {
          ...columns,
          ...(secret !== undefined && sealedFor({ id, organization_id: organizationId }, seal, secret)),
          updated_at: nowMs,
        } as never)
        await audit(trx, caller, `${event}_changed`, row, also, nowMs)
        return row
      })
    },

    /** `beforeRemoval` does what has to precede the deletion. Throws `not_found`. */
    async remove(
      { db, clock }: Omit<Deps, 'seal'>,
      caller: Actor,
      id: number,
      beforeRemoval?: (row: Row, trx: Db, nowMs: number) => Promise<void>,
    ): Promise<void> {
      const { organizationId } = caller
      await db.write.transaction().execute(async (trx) => {
        const nowMs = clock.now()
        const row = await rows.get(trx, organizationId, id)
        await beforeRemoval?.(row, trx, nowMs)
        await rows.remove(trx, organizationId, id)
        await audit(trx, caller, `${event}_deleted`, row, {}, nowMs)
      })
    },
  }
}

/** Runs a transaction. Throws `conflict` if the organization has another row of that name. */
async function storeNamed<T>(db: Database, what: string, work: (trx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.write.transaction().execute(work)
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    throw nameInUse(what, cause)
  }
}
