/** The neighbours of `npm start`, without the account hub that tests have beside them. */
import { Hono } from "hono";
import { control, fixedHeaders, type NeighbourEnv, neighbours } from "./app.tsx";

/** Under the name that it has in older state folders, with their mails and the secrets of their webhooks. */
export { NeighbourStore as HubStore } from "./store.ts";

const app = new Hono<NeighbourEnv>();
app.use(fixedHeaders(() => ""));
app.route("/control", control);
app.get("/", (c) => c.redirect("/mailbox", 302));
app.route("/", neighbours);

export default app;
