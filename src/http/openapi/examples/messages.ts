const texts: Record<string, string> = {
  logout: 'Signed out',
  changePassword:
    'Password changed; all other sessions have ended. API tokens stay: send revoke_tokens to revoke them too',
  requestPasswordReset: 'If this e-mail has an account, a mail is on its way to it',
  requestReset: 'If this e-mail has an account, a mail is on its way to it',
  confirmPasswordReset:
    'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  confirmReset:
    'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
  confirmEmail: 'E-mail address confirmed',
  resendEmailConfirmation: 'If this e-mail has an account that is not confirmed, a mail is on its way to it',
  revokeApiToken: 'API token revoked',
  deleteOAuthClient: 'OAuth client deleted',
  removeUser: 'User removed',
  revokeInvitation: 'Invitation revoked',
  deleteTeam: 'Team deleted',
  updateSlo: 'SLO updated',
  deleteSlo: 'SLO deleted',
  cancelBackfill: 'Backfill cancelled',
  deleteSource: 'Source deleted',
  deleteSourceQuery: 'Query deleted',
  deleteChannel: 'Channel deleted',
  createSilence: 'Silence created',
  endSilence: 'Silence ended',
  deleteRule: 'Notification rule deleted',
  storeCacheEntry: 'Cache entry stored',
  deleteCacheEntry: 'Cache entry deleted',
  updateCacheConfig: 'Cache configuration updated',
  deleteTarget: 'Target deleted',
  deleteProbe: 'Probe deleted',
}

/** Examples of responses that consist of a message, by operation. */
export const messages = Object.fromEntries(Object.entries(texts).map(([name, message]) => [name, { message }]))
