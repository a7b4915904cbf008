import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { saveAccessToken, useSignIn } from '../api/access-token.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { SubmitForm } from '../components/submit-form.tsx'
import { TextField } from '../components/text-field.tsx'

/** Asks for the access token (A19), which stays in this tab. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { wasRefused } = useSignIn()
  const [token, setToken] = useState('')
  function submit(): void {
    if (token.trim() === '') return
    saveAccessToken(token.trim())
    onSignedIn()
  }

  return (
    <main className="sign-in">
      <Card>
        <SubmitForm onSubmit={submit} error={wasRefused}>
          <h1>Sign in</h1>
          <p className="muted">
            This server asks for an access token: the one that was set as <code>API_TOKEN</code> or{' '}
            <code>api_token</code>, or one of its identity provider. It stays in this tab.
          </p>
          <TextField
            label="Access token"
            type="password"
            name="token"
            autoComplete="off"
            autoFocus
            isRequired
            value={token}
            onChange={setToken}
            errorMessage={wasRefused ? 'The server does not take this token.' : undefined}
          />
          <Button
            type="submit"
            variant="primary"
            icon={<KeyRound aria-hidden />}
            isDisabled={token.trim() === ''}
          >
            Sign in
          </Button>
        </SubmitForm>
      </Card>
    </main>
  )
}
