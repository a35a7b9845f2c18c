import { Password } from './password.tsx'
import { ApiTokens } from './tokens.tsx'

/** Password and API tokens of the person. */
export function Security() {
  return (
    <>
      <Password />
      <ApiTokens />
    </>
  )
}
