import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { canBeToken, signInWith, useSignIn } from '../api/access-token.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'

/**
 * Asks for the access token (A19), which stays in this tab. The page below is out of sight and out of reach, and stays: what
 * somebody was writing when the token ran out is there again afterwards.
 */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="sign-in">
      <Modal>
        <Dialog className="sign-in-window">
          <Card>
            <SignInForm onSignedIn={onSignedIn} />
          </Card>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { wasRefused } = useSignIn()
  const [token, setToken] = useState('')
  const given = token.trim()
  const isUsable = canBeToken(given)
  function submit(): void {
    if (!isUsable) return
    // Another user gets a page of their own: no rows, and nothing half written, of the one before.
    if (signInWith(given)) location.reload()
    else onSignedIn()
  }

  return (
    <SubmitForm onSubmit={submit} error={wasRefused}>
      <Heading slot="title" level={1}>
        Sign in
      </Heading>
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
        errorMessage={toProblem(given !== '' && !isUsable, wasRefused)}
      />
      <Button type="submit" variant="primary" icon={<KeyRound aria-hidden />} isDisabled={!isUsable}>
        Sign in
      </Button>
    </SubmitForm>
  )
}

function toProblem(isNoToken: boolean, wasRefused: boolean): string | undefined {
  if (isNoToken) return 'A token has no blanks, and no letters beyond a to z.'
  return wasRefused ? 'The server does not take this token.' : undefined
}
