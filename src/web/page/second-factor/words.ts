/** Texts about the second factor. */
export const words = {
  begin: 'Signing in then takes your password and a code of an app on your phone. Your password is asked for first.',
  scan: 'Scan this with an authenticator app, then type the code that it shows.',
  secret: 'Or type this secret into the app',
  confirm: 'Code',
  codeHint: 'Six digits',
  codes: 'Your recovery codes: they are shown this once.',
  keep: 'Each replaces a code of the app once. Keep them where you keep your passwords: without the phone and without them, only the operator of nines can let you in again.',
  kept: 'I have kept them',
} as const
