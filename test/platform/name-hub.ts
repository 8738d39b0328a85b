/** Preloaded: the address of the tests' account hub leads to the server that SILA_TEST_HUB names. */
const HUB = "https://hub.sila.example/";
const real = globalThis.fetch;
const server = process.env.SILA_TEST_HUB;

globalThis.fetch = (input, init) => {
  const url = String(input instanceof Request ? input.url : input);
  const isHub = server !== undefined && url.startsWith(HUB);
  return real(isHub ? url.replace(HUB, `${server}/`) : input, init);
};

export {};
