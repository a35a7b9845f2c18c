/** Path to which the provider sends the browser back; registered there below PUBLIC_URL. */
export const callbackPath = '/auth/oidc/callback'
