import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { forgetAll } from './api/resource.ts'
import { me, restoreSession } from './api/session.ts'
import { chosenZone } from './zone.ts'

let shownUserId: number | undefined
effect(() => {
  const id = me.value?.id
  if (shownUserId !== undefined && id !== shownUserId) forgetAll() // data of one user is never shown to another
  shownUserId = id
})

effect(() => {
  const { time_zone = null, clock = null, organization } = me.value ?? {}
  chosenZone.value = {
    timeZone: time_zone ?? organization?.time_zone ?? null,
    clock: clock ?? organization?.clock ?? null,
  }
})

const root = document.getElementById('page')
if (root) render(<App />, root)
void restoreSession()
