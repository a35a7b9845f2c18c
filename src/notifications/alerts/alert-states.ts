import type { Db } from '../../db/open.ts'
import type { AlertRow, SloRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { endAlerts, insertAlerts, listOpenAlerts, setSeverity } from './alert-store.ts'
import { readingsOf } from './alert-conditions.ts'

export type Evaluated = { slo: SloRow; evaluation: Evaluation }

/** What of an evaluation is told. */
export type Finding = Pick<Evaluation, 'atSeconds' | 'status' | 'current' | 'budgetUsed' | 'burnRates'>

/** What there is to say of an SLO that is not evaluated. */
export function nothingFound(atSeconds: number): Finding {
  return { atSeconds, status: 'unknown', current: null, budgetUsed: null, burnRates: [] }
}

/** The alerts of an SLO after an evaluation: those that go on, the new ones among them, and those it ended. */
export type Standing = { slo: SloRow; evaluation: Finding; open: AlertRow[]; ended: AlertRow[] }

/**
 * Brings the alerts of SLOs up to what their evaluations say. What is not known leaves an alert as it is; an alert that its
 * SLO can no longer have (a tier switched off, a threshold taken away) ends. The severity of a status only rises while it
 * lasts: on the way back to the target nothing new has gone wrong.
 */
export async function moveAlerts(trx: Db, evaluated: Evaluated[]): Promise<Standing[]> {
  const openBefore = await listOpenAlerts(
    trx,
    evaluated.map(({ slo }) => slo.id),
  )
  const bySlo = Map.groupBy(openBefore, ({ slo_id }) => slo_id)
  const moves = evaluated.map(({ slo, evaluation }) => ({
    slo,
    evaluation,
    ...moveOf(slo, evaluation, bySlo.get(slo.id) ?? []),
  }))
  const begun = moves.flatMap(({ begins }) => begins)
  const worse = moves.flatMap(({ goesOn }) => goesOn.filter(({ isWorse }) => isWorse).map(({ alert }) => alert.id))
  const endedTogether = Map.groupBy(
    moves.filter(({ ends }) => ends.length > 0),
    ({ evaluation }) => evaluation.atSeconds,
  )
  const inserted = Map.groupBy(begun.length > 0 ? await insertAlerts(trx, begun) : [], ({ slo_id }) => slo_id)
  if (worse.length > 0) await setSeverity(trx, worse, 'critical')
  for (const [atSeconds, some] of endedTogether) {
    await endAlerts(
      trx,
      some.flatMap(({ ends }) => ends.map(({ id }) => id)),
      atSeconds,
    )
  }
  return moves.map(({ slo, evaluation, goesOn, ends }) => ({
    slo,
    evaluation,
    open: [
      ...goesOn.map(({ alert, isWorse }): AlertRow => (isWorse ? { ...alert, severity: 'critical' } : alert)),
      ...(inserted.get(slo.id) ?? []),
    ],
    ended: ends.map((alert) => ({ ...alert, ended_at: evaluation.atSeconds })),
  }))
}

function moveOf(slo: SloRow, evaluation: Evaluation, openBefore: AlertRow[]) {
  const readings = readingsOf(slo, evaluation)
  const openNames = new Set(openBefore.map(({ name }) => name))
  const begins = readings
    .filter(({ name, firing }) => firing === true && !openNames.has(name))
    .map(({ name, severity }) => ({
      organization_id: slo.organization_id,
      slo_id: slo.id,
      name,
      severity,
      began_at: evaluation.atSeconds,
    }))
  const readingOf = new Map(readings.map((reading) => [reading.name, reading]))
  const isOver = ({ name }: AlertRow) => (readingOf.get(name) ?? gone).firing === false
  const goesOn = openBefore
    .filter((alert) => !isOver(alert))
    .map((alert) => {
      const reading = readingOf.get(alert.name)
      const isWorse = reading?.firing === true && reading.severity === 'critical' && alert.severity === 'warning'
      return { alert, isWorse }
    })
  return { begins, goesOn, ends: openBefore.filter(isOver) }
}

const gone = { firing: false }
