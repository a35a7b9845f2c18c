import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { forgetAll } from './api/resource.ts'
import { me, restoreSession } from './api/session.ts'

let shownFor: number | undefined
effect(() => {
  const id = me.value?.id
  if (shownFor !== undefined && id !== shownFor) forgetAll() // data of one user is never shown to another
  shownFor = id
})

const place = document.getElementById('page')
if (place) render(<App />, place)
void restoreSession()
