import type { AlertData, SloData } from '../notification-data.ts'
import { formatLabels } from './template-data.ts'

/** Joins paragraphs of lines, without empty ones. */
export function asParagraphs(paragraphs: string[][]): string {
  const written = paragraphs.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return written.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** Line with the acknowledgement of an alert: name, time and note. */
export function acknowledgedLine(alert: Pick<AlertData, 'acknowledged'> | null): string {
  if (!alert?.acknowledged) return ''
  const { by, at, note } = alert.acknowledged
  return `Acknowledged by ${by}, ${formatTime(at)}${note === '' ? '.' : `: ${note}`}`
}

/** Line with the labels of an SLO; empty if it has none. */
export function labelLine({ labels }: SloData): string {
  const text = formatLabels(labels)
  return text === '' ? '' : `Labels: ${text}`
}

/** Time of day as `10:00:05 UTC`. */
export function formatClock(iso: string): string {
  return `${iso.slice(11, 19)} UTC`
}

/** Time as `2026-11-21 10:00 UTC`. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

/** The word with a capital letter. */
export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
