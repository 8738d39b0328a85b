#!/bin/sh
# In the place of workerd: keeps the configuration that Miniflare gives it (workerd.ts), whole or not at all.
umask 077
cat > "$SILA_CONFIG.part" && mv "$SILA_CONFIG.part" "$SILA_CONFIG"
