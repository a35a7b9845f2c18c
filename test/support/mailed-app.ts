import { type TestApp, testApp } from './app.ts'
import { closeLater } from './closing.ts'
import { type ReceivedMail, startMailServer } from './mail-server.ts'

export type MailedApp = {
  nines: TestApp
  /** Received since the account exists. */
  mails: ReceivedMail[]
  /** Confirms the address of all accounts; null: takes that back. */
  setConfirmed(atMs: number | null): Promise<unknown>
}

/** Starts a nines with the account `ada`, and the mail server that it sends through. Closed after the test. `env`: more settings. */
export async function mailedApp(env: Record<string, string> = {}): Promise<MailedApp> {
  const post = await startMailServer()
  closeLater(() => post.close())
  const nines = await testApp({ env: { SMTP_URL: post.url, PUBLIC_URL: 'https://nines.example', ...env } })
  closeLater(() => nines.close())
  await nines.join('ada')
  await nines.app.mailer.drain()
  post.mails.length = 0
  return {
    nines,
    mails: post.mails,
    setConfirmed: (email_confirmed_at) => nines.app.db.write.updateTable('users').set({ email_confirmed_at }).execute(),
  }
}
