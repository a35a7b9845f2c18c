import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { link } from '../../address/base.ts'
import { chunk } from '../../ui/chunk.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.ts'
import { connectSource, createExample, watchAddress } from '../../slo/first-slo.ts'
import { OneField } from './one-field.tsx'

const FoundInSource = chunk(async () => (await import('./found-in-source.tsx')).FoundInSource, 0)

/** Three ways to the first SLO, each a form with at most one field, and a link for jobs that report by themselves; shown until there is an SLO. */
export function FirstSteps() {
  const { route } = useLocation()
  const toSlo = (sloId: number) => {
    invalidate('/slos')
    route(link(`/slos/${sloId}`))
  }
  return (
    <section class="first">
      <FoundInSource />
      <h2>Where does the first SLO come from?</h2>
      <div class="ways grid">
        <Way
          icon="radar"
          title="Watch an address"
          text="nines requests it every 30 seconds. The SLO is the share of requests that succeed."
        >
          <OneField
            field={{ label: 'Address', placeholder: 'https://shop.example.com/health', inputMode: 'url' }}
            button="Watch it"
            unavailable={whyNot('administer')}
            onSend={async (url) => toSlo(await watchAddress(url))}
          />
        </Way>
        <Way
          icon="database"
          title="Connect a Prometheus"
          text="Or Mimir, Thanos, VictoriaMetrics: whatever answers PromQL. The first SLO is the share of its metrics endpoints that are up, with the past that it knows."
        >
          <OneField
            field={{ label: 'Base URL', placeholder: 'http://prometheus:9090', inputMode: 'url' }}
            button="Connect"
            unavailable={whyNot('administer')}
            onSend={async (url) => {
              const sloId = await connectSource(url)
              if (sloId !== undefined) return toSlo(sloId)
              invalidate('/slos')
              toast('The source answers, but scrapes nothing itself. New SLO shows what it has.')
            }}
          />
        </Way>
        <Way
          icon="eye"
          title="Look at an example"
          text="A made-up service that fails a little each Tuesday night, with 30 days of past. You can delete it at any time."
        >
          <OneField
            button="Create the example"
            unavailable={whyNot('edit')}
            onSend={async () => toSlo(await createExample())}
          />
        </Way>
      </div>
      <p class="hint">
        A cron job or a backup can report by itself: make <a href={link('/collect/heartbeats?new')}>a heartbeat</a>.
      </p>
    </section>
  )
}

type WayProps = { icon: IconName; title: string; text: string; children: ComponentChildren }

function Way({ icon, title, text, children }: WayProps) {
  return (
    <div class="card way">
      <h3>
        <Icon name={icon} size={20} /> {title}
      </h3>
      <p>{text}</p>
      <span class="spring" />
      {children}
    </div>
  )
}
