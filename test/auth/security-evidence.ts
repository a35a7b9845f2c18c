/**
 * Tests that prove requirements of docs/security-review.md: by its number, file and title of each. `test/…` is the whole
 * path, any other one begins at `test/auth` and lacks `.test.ts`.
 */
export const evidence: Record<string, readonly (readonly [file: string, title: string])[]> = {
  '6.2.1': [['passwords/passwords', 'a short one']],
  '6.2.2': [['passwords/passwords', 'makes the new one good and the old one useless']],
  '6.2.3': [
    ['passwords/passwords', 'with a wrong current password is refused like a failed login, and nothing has happened'],
  ],
  '6.2.4': [['passwords/passwords', 'a common one']],
  '6.2.11': [['passwords/passwords', 'a part of the e-mail with digits']],
  '6.2.12': [
    ['passwords/breached-passwords', 'a password that is known from a breach is refused, and another is taken'],
  ],
  '6.3.1': [['sessions/throttle', 'after 10 failures for an account']],
  '6.3.2': [['setup', 'is made on this machine as it is']],
  '6.3.3': [['second-factor/required', 'refuses a session that is open already everything but setting one up']],
  '6.3.4': [['walk', 'is refused before anything of the request is looked at']],
  '6.4.1': [
    ['setup', 'after the first account nobody registers without an invitation, and the setup token is worth nothing'],
  ],
  '6.4.3': [['second-factor/set-up', 'is asked for it after a new password too']],
  '6.4.4': [['test/cli/admin/admin.test.ts', 'disable-mfa removes a second factor, which the audit log has']],
  '6.5.1': [
    [
      'second-factor/login',
      'takes each code once, also after a later sign-in, and none that is older than one it took',
    ],
  ],
  '6.5.2': [['second-factor/login', 'takes each recovery code once, however it is written']],
  '6.5.3': [['second-factor/totp', 'each secret is another one, of 160 bits']],
  '6.5.5': [['second-factor/totp', 'the clock of a phone']],
  '6.6.2': [['second-factor/login', 'is of its account alone: the code of another account does not end it']],
  '6.6.3': [['second-factor/login', 'no more than five wrong codes of a token are looked at']],
  '6.8.1': [['external/oidc', 'finds the same account again, by the subject and not by the address']],
  '6.8.2': [['external/oidc', 'a signature of another key']],
  '7.1.2': [
    ['sessions/sessions', 'of the sessions of a user the 100 that were last used stay; the others end at once'],
  ],
  '7.2.1': [['token-attacks', 'a key that is not ours is refused:']],
  '7.2.2': [['token-attacks', 'each token names the instance it is for, and is unlike every other']],
  '7.2.3': [['sessions/sessions', 'tokens are stored as hashes only']],
  '7.2.4': [
    ['sessions/own-sessions', 'ends that session, and no other'],
    ['external/earlier-session', 'ends the session that the browser had before, and no other'],
  ],
  '7.3.1': [['sessions/own-sessions', 'a session that was not used for so long ends, with both tokens']],
  '7.3.2': [['sessions/sessions', 'does not extend a session past its whole lifetime, for either token']],
  '7.4.1': [
    [
      'sessions/sessions',
      'an access token that outlives its session is refused once the session has ended, though it was seen before',
    ],
  ],
  '7.4.2': [['users', 'ends all that a user could do, and keeps what they made']],
  '7.4.3': [
    ['passwords/passwords', 'ends all other sessions of the user at once, and nobody else’s'],
    ['second-factor/set-up', 'ends the other sessions of the account, and no other ones'],
  ],
  '7.4.4': [
    [
      'test/browser/accounts.proof.ts',
      'two tabs share a session: signing in by one signs in both, and signing out ends both',
    ],
  ],
  '7.4.5': [['users', 'end at once by an administrator, and nothing else of the user']],
  '7.5.1': [
    ['accounts/email-change', 'with a wrong password, which counts as a failed login'],
    ['second-factor/set-up', 'is refused with a wrong password, which counts as a wrong one of the session'],
  ],
  '7.5.2': [
    ['sessions/own-sessions', 'has device, address and times of each sign-in, the last used first'],
    ['sessions/own-sessions', 'neither another session nor all others end, until after another sign-in'],
  ],
  '7.6.1': [['external/oidc', 'opens a session of 12 hours, whose tokens stand in no address']],
  '7.6.2': [['external/oidc', 'the answer in another browser than the one that began']],
  '8.2.1': [['roles-walk', 'a lower role is refused, before anything else of the request is read:']],
  '8.2.2': [['tenancy-walk', 'naming what belongs to another organization is as naming what does not exist in']],
  '8.2.3': [
    ['mass-assignment', 'fields that are not a body’s own, and keys that would reach a prototype, change nothing in'],
  ],
  '8.3.1': [['token-attacks', 'role and organization are those of the user, whatever even a token of ours says']],
  '8.4.1': [['tenancy-walk', 'the walk has seen every kind of thing']],
  '9.1.1': [['token-attacks', 'a key that is not ours is refused:']],
  '9.1.2': [['token-attacks', 'an algorithm that is not ours is refused:']],
  '9.1.3': [['token-attacks', 'RS256 with its key elsewhere']],
  '9.2.1': [['register-and-login', 'refuses a token once it has expired']],
  '9.2.2': [['sessions/sessions', 'does not take an access token for a refresh token']],
  '9.2.3': [['register-and-login', 'refuses a token that another instance signed']],
  '9.2.4': [['token-attacks', 'each token names the instance it is for, and is unlike every other']],
  '10.1.1': [
    [
      'sessions/browser-session',
      'gets its refresh token in a cookie that only the refresh path is sent, and no script reads',
    ],
    ['external/oidc', 'sends neither code, state nor tokens to the log, and stores no secret of the client'],
  ],
  '10.1.2': [['external/oidc', 'the answer in another browser than the one that began']],
  '10.2.1': [['external/oidc', 'asks with PKCE, state and nonce']],
  '10.2.2': [['external/oidc', 'the answer of another issuer (RFC 9207)']],
  '10.3.1': [['oauth/access', 'a token that nobody was given opens nothing']],
  '10.3.2': [['oauth/access', 'for a user who is %s, with the scope %s, as %s']],
  '10.3.3': [['oauth/access', 'the user is removed']],
  '10.3.4': [['oauth/access', 'never on the account itself: %s %s']],
  '10.4.1': [['oauth/clients/redirect-uri', 'what was registered fits']],
  '10.4.2': [['oauth/code', 'ends every token it gave, also those of later refreshes']],
  '10.4.3': [['oauth/code', 'is good for a minute']],
  '10.4.4': [['oauth/dance', 'the discovery document names every endpoint, and nothing that is refused']],
  '10.4.5': [['oauth/refresh', 'a refresh token used twice ends every token of its grant']],
  '10.4.6': [['oauth/authorize', 'a plain challenge']],
  '10.4.7': [['oauth/clients/clients', 'members and viewers neither read nor change them']],
  '10.4.8': [['oauth/consent-routes', 'what a user has allowed ends after a year, however often it was renewed']],
  '10.4.9': [['oauth/consent-routes', 'ends all its tokens and codes for the caller at once, and is recorded']],
  '10.4.10': [['oauth/code', 'a code is refused, and good afterwards, for']],
  '10.4.11': [['oauth/authorize', 'requests no more than the application did, and by default to read']],
  '10.5.1': [['external/oidc', 'a wrong nonce']],
  '10.5.2': [['external/oidc', 'finds the same account again, by the subject and not by the address']],
  '10.5.3': [['external/oidc', 'a discovery document of another issuer']],
  '10.5.4': [['external/oidc', 'a wrong audience']],
  '10.7.1': [['oauth/consent/consent', 'a second time']],
  '10.7.2': [['oauth/authorize', 'says what the application may do, and for how long']],
  '10.7.3': [
    [
      'oauth/consent-routes',
      'has each once, with the widest of its scopes, when it was allowed, renewed and when it ends',
    ],
  ],
}
