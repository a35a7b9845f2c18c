import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { ApiError, send } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { me } from '../../api/session.ts'
import type { Slo } from '../../api/types.ts'
import { base, link } from '../../base.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.tsx'
import { words } from '../../words.ts'

/** Until there is an SLO: three ways to the first one, each of one field at most. */
export function FirstSteps() {
  const { route } = useLocation()
  const toSlo = (slo: Slo) => {
    invalidate('/slos')
    route(link(`/slos/${slo.id}`))
  }
  return (
    <section class="first">
      <h2>Where does the first SLO come from?</h2>
      <div class="ways">
        <Way
          icon="radar"
          title="Watch an address"
          text="nines requests it every 30 seconds. The SLO is the share of requests that succeed."
          field={{ label: 'Address', placeholder: 'https://shop.example.com/health', type: 'url' }}
          button="Watch it"
          onSend={async (url) => toSlo(await watchAddress(url))}
        />
        <Way
          icon="database"
          title="Connect a Prometheus"
          text="Or Mimir, Thanos, VictoriaMetrics: whatever answers PromQL. nines keeps what it measures."
          field={{ label: 'Base URL', placeholder: 'http://prometheus:9090', type: 'url' }}
          button="Connect"
          onSend={connectSource}
        />
        <Way
          icon="eye"
          title="Look at an example"
          text="nines watches itself: an SLO over its own health check, which you can delete at any time."
          button="Create the example"
          onSend={async () =>
            toSlo(await watchAddress(new URL(`${base}/health`, location.href).href, 'nines is there'))
          }
        />
      </div>
    </section>
  )
}

type WayProps = {
  icon: IconName
  title: string
  text: string
  field?: { label: string; placeholder: string; type: 'url' }
  button: string
  onSend: (value: string) => Promise<void>
}

function Way({ icon, title, text, field, button, onSend }: WayProps) {
  const [value, setValue] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await onSend(value.trim())
    } catch (error) {
      setProblem(error instanceof ApiError ? (error.details ?? error.message) : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="card way" onSubmit={submit}>
      <h3>
        <Icon name={icon} size={20} /> {title}
      </h3>
      <p>{text}</p>
      <span class="spring" />
      {field && <TextField {...field} required value={value} onValue={setValue} problem={problem} />}
      {!field && problem && <p class="problem">{problem}</p>}
      <Button
        type="submit"
        kind={field ? 'plain' : 'quiet'}
        isBusy={isBusy}
        unavailable={me.value?.role === 'viewer' ? words.viewer : undefined}
      >
        {button}
      </Button>
    </form>
  )
}

/** A probe of the address, and the SLO over it. */
async function watchAddress(url: string, name = `${new URL(url).host} answers`): Promise<Slo> {
  const probe = await send<{ name: string }>('POST', '/embedded/probes', {
    body: { name, type: 'http', target: url, interval_seconds: 30, timeout_seconds: 10 },
  })
  return send<Slo>('POST', '/slos', {
    body: {
      name,
      target: 99.9,
      time_window: '30d',
      metric_type: 'availability',
      metric_query: `probe_success{job=${JSON.stringify(probe.name)}}`,
      force: true, // there is no sample yet
    },
  })
}

/** Makes a source the default one. SLOs over it are created over the API, until the page does. */
async function connectSource(url: string): Promise<void> {
  await send('POST', '/tsdb/sources', { body: { name: new URL(url).host, api_url: url, is_default: true } })
  toast('The source is connected. Create SLOs over it with POST /api/v1/slos: the API reference has examples.')
}
