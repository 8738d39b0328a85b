/** workerd closes a connection whose body is not read, and the answer is lost: reads the rest. */

/** `front.ts` has read smaller ones before it asks. */
const SMALL_BYTES_MAX = 65_536;
/** The platform takes no larger body. The rest of one is not waited for. */
const BYTES_MAX = 104_857_600;

export async function withWholeBody(
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const length = request.headers.get("Content-Length");
  if (request.body === null || (length !== null && Number(length) <= SMALL_BYTES_MAX)) {
    return answer(request);
  }
  const { readable, writable } =
    length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length));
  const answered = Promise.withResolvers<void>();
  const arrived = passOn(request.body, writable, answered.promise);
  try {
    return await answer(new Request(request, { body: readable }));
  } finally {
    answered.resolve();
    await arrived;
  }
}

/** Reads all; the service gets it until it has answered or wants no more. */
async function passOn(
  body: ReadableStream<Uint8Array>,
  service: WritableStream<Uint8Array>,
  answered: Promise<void>,
): Promise<void> {
  const [reader, writer] = [body.getReader(), service.getWriter()];
  let isWanted = true;
  const unwanted = () => {
    isWanted = false;
  };
  answered.then(unwanted);
  try {
    for (let n = 0; n <= BYTES_MAX; ) {
      const { done, value } = await reader.read();
      if (done) break;
      n += value.byteLength;
      if (isWanted) await Promise.race([writer.write(value).catch(unwanted), answered]);
    }
    if (isWanted) await writer.close();
  } catch (error) {
    // The client is gone.
    await writer.abort(error).catch(() => {});
  }
}
