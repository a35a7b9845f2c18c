/** Fields that several account forms have. The form adds the label of the password, which differs. */
export const emailField = {
  name: 'email',
  label: 'E-mail',
  type: 'email',
  autocomplete: 'username',
  required: true,
} as const
export const newPasswordField = {
  name: 'password',
  hint: '8 characters or more',
  type: 'password',
  autocomplete: 'new-password',
  required: true,
  minLength: 8,
  maxLength: 256,
} as const
