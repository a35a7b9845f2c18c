export const checkNames = [
  'settings',
  'data_folder',
  'secrets',
  'disk',
  'database',
  'backup',
  'port',
  'descriptors',
  'dns',
  'sources',
  'clock',
  'certificates',
  'passwords',
  'mail',
] as const

/** Result of a check of `nines doctor`. `advice`: what to do about it; `null` where nothing is to be done. */
export type Finding = {
  check: (typeof checkNames)[number]
  level: 'ok' | 'warning' | 'error'
  message: string
  advice: string | null
}

type Name = Finding['check']

export function ok(check: Name, message: string): Finding {
  return { check, level: 'ok', message, advice: null }
}

export function warning(check: Name, message: string, advice: string): Finding {
  return { check, level: 'warning', message, advice }
}

export function failure(check: Name, message: string, advice: string): Finding {
  return { check, level: 'error', message, advice }
}

/** Message of an error of any kind. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
