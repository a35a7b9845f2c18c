import { t } from 'elysia'
import { WholeNumber } from '../../http/schemas.ts'
import { maxHolidays, maxRanges } from './read-service-hours.ts'

const days = t.Array(WholeNumber({ min: 1, max: 7 }), {
  description: 'days of the week, 1 (Monday) to 7 (Sunday)',
  minItems: 1,
  maxItems: 7,
})

/** Service hours that `readServiceHours` accepts, for the API reference. */
export const SentServiceHours = t.Object(
  {
    time_zone: t.String({ description: 'IANA name' }),
    hours: t.Array(
      t.Object({
        days,
        from: t.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'time of day, as 08:00' }),
        to: t.String({
          pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$',
          description: 'time of day after `from`, up to 24:00',
        }),
      }),
      { minItems: 1, maxItems: maxRanges },
    ),
    holidays: t.Optional(
      t.Array(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), {
        maxItems: maxHolidays,
        description: 'dates on which nothing counts',
      }),
    ),
  },
  { description: 'weekly hours in which the SLO counts; at other times nothing does' },
)

export const ServiceHoursResponse = t.Object({
  time_zone: t.String({ description: 'IANA name' }),
  hours: t.Array(
    t.Object({
      days: t.Array(t.Number({ description: 'days of the week, 1 (Monday) to 7 (Sunday)' }), {
        description: 'days of the week, 1 (Monday) to 7 (Sunday)',
      }),
      from: t.String({ description: 'time of day' }),
      to: t.String({ description: 'time of day, up to 24:00' }),
    }),
  ),
  holidays: t.Array(t.String(), { description: 'dates on which nothing counts' }),
})
