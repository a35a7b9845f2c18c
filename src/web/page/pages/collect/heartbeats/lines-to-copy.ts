import type { Heartbeat } from '../types.ts'

/** Command that calls an address, and tries again where the network fails. */
const curl = 'curl -fsS -m 10 --retry 5'

/** Shell code that sets `end` to the exit code of a service; to `fail` if it was killed: `$EXIT_STATUS` then is the name of a signal. */
const systemdEnd =
  'case $SERVICE_RESULT:$EXIT_CODE in success:exited) end=0;; exit-code:exited) end=$EXIT_STATUS;; *) end=fail;; esac'

/** Lines that report to a heartbeat, by what runs the job. */
export function linesToCopy(
  url: string,
  schedule: Pick<Heartbeat, 'period_seconds' | 'cron'>,
): readonly { from: string; line: string }[] {
  const quiet = `${curl} -o /dev/null ${url}`
  return [
    { from: 'Cron', line: `${cronOf(schedule)} /usr/local/bin/backup; ${quiet}/$?` },
    { from: 'systemd, in the service of a timer', line: `ExecStopPost=/bin/sh -c '${systemdEnd}; ${quiet}/$end'` },
    { from: 'Shell', line: `output=$(backup 2>&1); ${curl} --data-raw "$output" ${url}/$?` },
    {
      from: 'PowerShell',
      line: `$output = backup | Out-String; Invoke-RestMethod -Uri "${url}/$LASTEXITCODE" -Method Post -Body $output`,
    },
  ]
}

/** Schedule of a heartbeat for a crontab; a nightly one for a period that cron has no expression for. */
export function cronOf({ cron, period_seconds }: Pick<Heartbeat, 'period_seconds' | 'cron'>): string {
  if (cron !== null) return cron
  const minutes = (period_seconds ?? 0) / 60
  if (minutes === 1) return '* * * * *'
  if (minutes >= 1 && minutes < 60 && 60 % minutes === 0) return `*/${minutes} * * * *`
  const hours = minutes / 60
  if (hours === 1) return '0 * * * *'
  if (hours > 1 && hours < 24 && 24 % hours === 0) return `0 */${hours} * * *`
  return '30 2 * * *'
}
