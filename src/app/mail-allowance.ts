import { type Clock, hourMs } from '../clock.ts'
import type { Config } from '../config.ts'
import { createTokenBuckets, type TokenBuckets } from '../http/connections/token-buckets.ts'
import type { RateLimitedMail, MailAllowance } from '../mail.ts'

type Limits = Pick<Config, 'mailPerAddressHourly' | 'mailPerOrganizationHourly' | 'mailHourly'>
type Deps = { config: Limits; stopwatch: Clock }

const everyone = ''

/** Limit that a mail counts against, as `count` tokens of the bucket `key`. `scope` ends the sentence “… mails an hour”. */
type MailLimit = { buckets: TokenBuckets; key: string; count: number; scope: string }

/**
 * Enforces `MAIL_PER_ADDRESS_HOURLY`, `MAIL_PER_ORGANIZATION_HOURLY` and `MAIL_HOURLY`, in memory: each is a token bucket that
 * fills evenly and is full after a restart. Unsolicited mails have separate buckets, a tenth as large (half for the total), so
 * that invitations by strangers cannot use up notifications and resets of others.
 */
export function createMailAllowance({ config, stopwatch }: Deps): MailAllowance {
  const bucketsOf = (limit: number) =>
    limit < 1 ? null : createTokenBuckets({ limit, clock: stopwatch, windowMs: hourMs })
  const { mailPerAddressHourly: address, mailPerOrganizationHourly: organization, mailHourly: all } = config
  const total = bucketsOf(all)
  const requested = { address: bucketsOf(address), organization: bucketsOf(organization), unsolicited: null }
  const unsolicited = {
    address: bucketsOf(Math.ceil(address / 10)),
    organization: bucketsOf(Math.ceil(organization / 10)),
    unsolicited: bucketsOf(Math.ceil(all / 2)),
  }

  return {
    take({ organizationId, isUnsolicited }, addresses) {
      const chosen = isUnsolicited ? unsolicited : requested
      const count = addresses.length
      const limits = [
        ...addresses.map((one) => limitOf(chosen.address, mailboxOf(one), 1, `to ${one}`)),
        organizationId === null
          ? null
          : limitOf(chosen.organization, String(organizationId), count, 'of an organization'),
        limitOf(chosen.unsolicited, everyone, count, 'that nobody asked for'),
        limitOf(total, everyone, count, 'of this nines'),
      ].filter((one) => one !== null)
      const rateLimited = longest(limits.flatMap(exceededLimit))
      if (rateLimited) return rateLimited
      for (const { buckets, key, count: times } of limits) {
        for (let taken = 0; taken < times; taken += 1) buckets.take(key)
      }
      return null
    },
  }
}

function limitOf(buckets: TokenBuckets | null, key: string, count: number, scope: string): MailLimit | null {
  return buckets && { buckets, key, count, scope }
}

/** The limit with its wait if it is exceeded, or nothing. A mail to more addresses than the bucket holds is sent once it is full. */
function exceededLimit({ buckets, key, count, scope }: MailLimit): RateLimitedMail[] {
  const { limit, remaining, fullInMs } = buckets.peek(key)
  if (remaining >= Math.min(count, limit)) return []
  const waitMs = Math.ceil(fullInMs - (Math.max(0, limit - count) * hourMs) / limit) // until `count` tokens are there
  return [{ reason: `at most ${limit} mails an hour ${scope}`, waitMs }]
}

function longest(all: RateLimitedMail[]): RateLimitedMail | null {
  return all.toSorted((one, other) => other.waitMs - one.waitMs)[0] ?? null
}

/** Mailbox of an address: the part after a `+` does not change it. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*(?=@)/, '')
}
