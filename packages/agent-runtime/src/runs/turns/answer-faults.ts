/** Said of what no model sends: a page of a proxy, or nothing at all. */
export const noAnswer =
  'the provider answered with something that is no answer of a model; check its base URL if that stays so'

/** Said of JSON that is not read: the address is right, or a server of another kind is there. */
export const notUnderstood =
  'the answer of the provider was not understood; check that the server speaks the API that the model is called with'

/** Said of an answer of which only a part came. */
export const brokeOff = 'the answer broke off'
