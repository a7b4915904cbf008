import { KeyRound } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useLocation } from 'wouter'
import { canBeToken, cloudToken, platformToken } from '../api/access-token.ts'
import { useServerFacts } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { type Half, signInPath } from '../navigation/sections.ts'

// only for servers with an identity provider
const ProviderSignIn = lazyPart(async () => (await import('./provider-sign-in.tsx')).ProviderSignIn)

/** What {@link SignIn} takes. */
interface SignInProps {
  /** The API that asks. */
  readonly half: Half
  readonly onSignedIn: () => void
}

/**
 * Asks to sign in: at the identity provider, or with an access token (A19), which stays in this tab. The page below is out of
 * sight and out of reach, and stays: what somebody was writing when the session ended is there again afterwards.
 */
export function SignIn(props: SignInProps) {
  const hasProvider = useServerFacts()?.signIn !== undefined
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="sign-in">
      <Modal>
        <Dialog className="sign-in-window">
          <Card>
            <div className="stack">
              <Heading slot="title" level={1}>
                Sign in to Homeward
              </Heading>
              {hasProvider ? (
                <>
                  <Suspense>
                    <ProviderSignIn onSignedIn={props.onSignedIn} />
                  </Suspense>
                  <Disclosure title="Use an access token">
                    <TokenForm {...props} />
                  </Disclosure>
                </>
              ) : (
                <TokenForm {...props} />
              )}
            </div>
          </Card>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

const tokens = { agents: platformToken, devices: cloudToken }

const hints: Readonly<Record<Half, ReactNode>> = {
  agents: (
    <>
      Enter the access token of this server: the value of <code>API_TOKEN</code>, or a token that an
      administrator created.
    </>
  ),
  devices: (
    <>
      Enter a token of your identity provider, or an API token of the device cloud. On the server’s own
      machine, open <code>localhost</code> instead: it needs no token there.
    </>
  ),
}

function TokenForm({ half, onSignedIn }: SignInProps) {
  const { wasRefused } = tokens[half].useSignIn()
  const [path, navigate] = useLocation()
  const [token, setToken] = useState('')
  const given = token.trim()
  const isUsable = canBeToken(given)
  function submit(): void {
    if (!isUsable) return
    const isOther = tokens[half].signIn(given)
    if (path === signInPath) navigate('/', { replace: true })
    // Another user gets a page of their own: no rows, and nothing half written, of the one before.
    if (isOther) location.reload()
    else onSignedIn()
  }

  return (
    <SubmitForm onSubmit={submit} error={wasRefused}>
      <p className="muted">{hints[half]} The token stays in this tab.</p>
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
  if (isNoToken) return 'A token cannot contain spaces or letters other than a to z.'
  return wasRefused ? 'The server rejected this token.' : undefined
}
